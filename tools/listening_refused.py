"""Why an emulated device cannot start."""


class ListenRefused(Exception):
    """A place that cannot be listened on: one line with the place, what is wrong and what to do."""
