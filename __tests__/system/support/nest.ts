// Projects of hosts in Nest, in each of its majors.
import { join } from 'node:path'
import { hostProject } from './hosts'

/** The majors of Nest, with what belongs to each: the major of its documents, and its module system. */
export const MAJORS = [
  { major: '10', swagger: '7', isModule: false },
  { major: '11', swagger: '11', isModule: false },
  { major: '12', swagger: '12', isModule: true },
]

/**
 * Makes the project of a host in each major, in a folder of its name.
 *
 * @param more the dependencies of the host beside those of all, by the major.
 */
export async function nestProjects(
  directory: string,
  folder: string,
  more: Readonly<Record<string, object>> = {},
): Promise<void> {
  const projects = MAJORS.map(({ major, swagger, isModule }) => {
    const nest = ['common', 'core', 'platform-express'].map((name) => [`@nestjs/${name}`, `^${major}.0.0`])
    const dependencies = {
      ...Object.fromEntries(nest),
      '@nestjs/swagger': `^${swagger}.0.0`,
      'class-transformer': '^0.5.1',
      'class-validator': '^0.15.1',
      'reflect-metadata': '^0.2.2',
      rxjs: '^7.8.2',
      ...more[major],
    }
    return hostProject(join(directory, major), folder, dependencies, { isModule })
  })
  await Promise.all(projects)
}
