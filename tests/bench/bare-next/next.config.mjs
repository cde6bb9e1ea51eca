/** As lean as the app's own configuration, so that the ratios compare with the fastest bare handler. */
export default { compress: false, poweredByHeader: false };
