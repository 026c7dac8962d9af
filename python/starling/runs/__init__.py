"""`starling run`: the settings of a run, what is wrong with them, and the launcher line tuned."""
