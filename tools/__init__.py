"""Programs around the controller: emulated devices, demonstrations, measurements."""
