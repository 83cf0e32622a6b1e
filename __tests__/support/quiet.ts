// Most tests need no list of versions. They are quiet about it.
const { emitWarning } = process
process.emitWarning = (...args: unknown[]) => {
  const [, options] = args
  if (Object(options).code !== 'EXPRESS_VERSIONING_ANY_VERSION') Reflect.apply(emitWarning, process, args)
}
