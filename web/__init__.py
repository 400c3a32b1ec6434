"""Pages: what people look at in a browser. Each page is one HTML text made from data; nothing here runs agents."""
