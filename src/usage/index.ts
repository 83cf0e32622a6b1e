// The exports of `express-versioning/usage`.
export {}
