"""Questions as spreadsheets and as Markdown, without loss in either direction."""
