"""What Assist says and hears: displays that a sentence means, spoken answers, and the installed sentences.

May import everything down to `browse`; only platforms and the set-up import it.
"""
