"""What pages show, done as they show it; and the site that is made of them."""
