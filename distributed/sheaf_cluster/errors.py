"""Failures that have a reason for people."""

FAILURE = 1
NOT_FOUND = 4


class Failure(Exception):
    """`fatal`: no other bundle can be made either. `exit`: as web/node/base/exit.ts has it."""

    def __init__(self, message, exit=FAILURE, fatal=False):
        super().__init__(message)
        self.message = message
        self.exit = exit
        self.fatal = fatal

    def __reduce__(self):
        return (Failure, (self.message, self.exit, self.fatal))

    def plain(self):
        return {"message": self.message, "exit": self.exit, "fatal": self.fatal}
