"""The page in one file: metrics, a table of rows, and the documents of rows, read by a script of our own.

`payload` says what is on the page as plain data, `rows` packs the rows, `page` puts data, script and style into one file.
Nothing that a user wrote becomes markup: it travels as packed data, and the script writes it as text.
"""
