// What `fields()` takes: the options of its files together.
import type { AddedOption } from './added'
import type { ConvertedOption } from './converted'
import type { ListedOption } from './listed'
import type { NestedOption } from './nested'
import type { OptionalOption } from './optional'
import type { RemovedOption } from './removed-properties'
import type { RemovedValuesOption } from './removed-values'
import type { RenamedOption } from './renamed'
import type { RenamedValuesOption } from './renamed-values'
import type { RequiredOption } from './required'
import type { ValuesOption } from './values'

/** The options of `fields()`. Bodies pass them in this order, responses in reverse. */
export interface FieldChanges
  extends RemovedOption,
    RenamedOption,
    AddedOption,
    ValuesOption,
    ConvertedOption,
    NestedOption,
    RequiredOption,
    OptionalOption,
    RenamedValuesOption,
    RemovedValuesOption,
    ListedOption {}
