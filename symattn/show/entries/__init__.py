"""Write the general entry of a step: q_{ij} = Σ_k x_{ik} w_{kj}, in letters that never collide."""
