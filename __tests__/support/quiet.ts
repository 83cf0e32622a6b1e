// Most tests are about something else than these warnings. Those that are about them look at `process.emitWarning` themselves.
const QUIET = new Set(
  ['ANY_VERSION', 'NO_PARAMETER', 'STREAM', 'UNDOCUMENTED', 'UNHANDLED', 'UNCONVERTED'].map(
    (code) => `EXPRESS_VERSIONING_${code}`,
  ),
)
const { emitWarning } = process
process.emitWarning = (...args: unknown[]) => {
  const [, options] = args
  if (!QUIET.has(Object(options).code)) Reflect.apply(emitWarning, process, args)
}
