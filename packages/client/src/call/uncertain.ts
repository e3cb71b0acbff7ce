// Marks an `input_required` result whose input requests an older server may have sent for another call of the same user.

/** A member of the result's `_meta`. */
export const uncertainKey = "lethe/uncertain";
