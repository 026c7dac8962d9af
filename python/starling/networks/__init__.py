"""Descriptions of clusters: hosts, switches and links, and where ranks are placed on them."""
