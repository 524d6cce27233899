"""Tables as files for export. A spreadsheet runs no cell as a formula."""
