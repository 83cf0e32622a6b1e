// What `fields()` takes.
import type { Schema } from '../../../types'
import type { StepContext } from '../../types/operations'

/** A function that converts the value of a property, or makes one of the newer shape. It is synchronous. */
// A method's parameters are compared both ways, so each function can declare its own.
export type FieldStep = { step(value: unknown, context: StepContext): unknown }['step']

/** A value that JSON can express. */
export type FieldValue = string | number | boolean | null | readonly unknown[] | { readonly [name: string]: unknown }

/** A value of an enumeration. */
export type Choice = string | number | boolean | null

/** A property that only the older version has. */
export interface RemovedField {
  /** The schema of the property in the older version. */
  readonly schema: Schema
  /** The value of the property in responses, or a function that makes it of the newer shape. */
  readonly value?: FieldValue | FieldStep | undefined
  /** `true` if the older shape may lack the property. */
  readonly optional?: boolean | undefined
}

/** A property with another schema in the older version. */
export interface ConvertedField {
  /** The schema of the property in the older version. */
  readonly schema: Schema
  /** Converts the newer value to the older one, in responses. `null` stays where both schemas allow it. */
  readonly response?: FieldStep | undefined
  /** Converts the older value to the newer one, in bodies. `null` stays where both schemas allow it. */
  readonly request?: FieldStep | undefined
}

/** The options of `fields()`. Bodies pass them in this order, responses in reverse. */
export interface FieldChanges {
  /** The properties that the newer version lacks. */
  readonly removed?: { readonly [property: string]: RemovedField } | undefined
  /** The newer names of properties, by their older names. */
  readonly renamed?: { readonly [older: string]: string } | undefined
  /**
   * The properties that the older version lacks; or these with the values that older bodies get if the newer definition requires
   * the property. A value may be a function that makes it of the body.
   */
  readonly added?: { readonly [property: string]: FieldValue | FieldStep | undefined } | readonly string[] | undefined
  /** The older value of each newer value that the older version lacks, by property; or a function that makes it of the response. */
  readonly values?: { readonly [property: string]: { readonly [newer: string]: Choice | FieldStep } } | undefined
  /** The properties with another schema in the older version. */
  readonly converted?: { readonly [property: string]: ConvertedField } | undefined
  /** The properties of an object that the older version has beside it, by the name of the object. */
  readonly nested?: { readonly [object: string]: readonly string[] } | undefined
  /** The properties that the newer version requires, with the value for bodies without one, or a function that makes it. */
  readonly required?: { readonly [property: string]: FieldValue | FieldStep } | undefined
  /**
   * The properties that the newer version need not have, with the value for responses without one, or a function that makes it.
   * So for the older name of a list that may be empty.
   */
  readonly optional?: { readonly [property: string]: FieldValue | FieldStep } | undefined
  /** The newer values of a property, by their older values. */
  readonly renamedValues?: { readonly [property: string]: { readonly [older: string]: Choice } } | undefined
  /** The newer value of each older value that the newer version lacks, by property; or a function that makes it of the body. */
  readonly removedValues?: { readonly [property: string]: { readonly [older: string]: Choice | FieldStep } } | undefined
  /** The newer names of properties that became a list, by their older names. */
  readonly listed?: { readonly [older: string]: string } | undefined
}
