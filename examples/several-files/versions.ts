// The list of versions, which all files share.
/** The versions, oldest first, for `allowedVersions` and for the types. */
export const versions = ['v1', 'v2'] as const
