class PlainTextAuthProvider:
    def __init__(self, **named):
        pass
