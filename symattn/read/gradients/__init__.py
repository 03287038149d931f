"""Backpropagation: extend a plan by the steps of its gradients, by the chain rule from the last step to the first."""
