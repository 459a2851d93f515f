"""How texts and the words of a query match: folded, misheard, or said with numerals and fillers.

It may import `library.threads`.
"""
