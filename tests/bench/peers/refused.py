"""What a recipe raises that cannot train a job; train.py prints the reason."""


class Refused(Exception):
    pass
