"""What a laboratory runs: single deals, and journals read back."""
