/** Catches the warnings of the process in each test of a file. Returns the arguments of those in the current test. */
export function catchWarnings(): unknown[][] {
  const warned: unknown[][] = []
  beforeEach(() => {
    warned.length = 0
    jest.spyOn(process, 'emitWarning').mockImplementation((...warning: unknown[]) => void warned.push(warning))
  })
  afterEach(() => jest.restoreAllMocks())
  return warned
}
