"""The source moment: files and folders of a change, recognised by what stands in them."""
