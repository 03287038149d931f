"""What exercises are about: each topic draws numbers for a derivation and says what of it is asked."""
