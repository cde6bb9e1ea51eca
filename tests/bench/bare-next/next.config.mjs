/** As lean as the app's own configuration, so that the ratios are taken against the fastest bare handler. */
export default { compress: false, poweredByHeader: false };
