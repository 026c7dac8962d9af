"""The repository of algorithms: its list, what the cost model predicts of it, and its reference pages."""
