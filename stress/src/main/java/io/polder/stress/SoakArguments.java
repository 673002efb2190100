package io.polder.stress;

/**
 * What soaks of one structure are told by their command line.
 *
 * @param count how many operations each thread does
 * @param leakEvery one in this many is never given back, to show that a leak is found; 0 for none
 */
record SoakArguments(int count, int leakEvery) {
    /** Ends the process with exit code 2 and a line on stderr if they are something else. */
    static SoakArguments of(String name, int countDefault, String... arguments) {
        int count = countDefault;
        int leakEvery = 0;
        boolean known = arguments.length % 2 == 0;
        for (int i = 0; i + 1 < arguments.length; i += 2) {
            int value = Integer.parseInt(arguments[i + 1]);
            switch (arguments[i]) {
                case "--count" -> count = value;
                case "--leak-every" -> leakEvery = value;
                default -> known = false;
            }
        }
        if (!known) {
            System.err.println(name + " [--count N] [--leak-every N]");
            System.exit(2);
        }
        return new SoakArguments(count, leakEvery);
    }
}
