/** An addition raises the second number; a breaking change the first, after `Deprecation` and `Sunset` headers. */
export const API_VERSION = "1.0.0";
