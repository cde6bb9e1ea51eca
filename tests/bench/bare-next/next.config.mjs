/** Turns off the same features as the app does, so that the ratios compare with the fastest bare handler. */
export default { compress: false, poweredByHeader: false };
