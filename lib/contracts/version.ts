/**
 * Version of the API in the OpenAPI document and in every answer's `roundup-version`. An addition raises the second
 * number. A breaking change raises the first, after the old behaviour has carried `Deprecation` and `Sunset` headers.
 */
export const API_VERSION = "1.0.0";
