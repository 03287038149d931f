"""What the values of a step show, each sentence backed by a proof."""
