// Marks an `input_required` result whose questions an older server may have asked for another call of the same user.

/** In `_meta` of the result. */
export const uncertainKey = "lethe/uncertain";
