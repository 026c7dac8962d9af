"""Labs on this machine: they need root and network namespaces, and say so where they do not get them."""
