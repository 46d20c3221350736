/** Exit codes by signal, 128 and its number (contract sections 5 and 6). */
export const signalCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
