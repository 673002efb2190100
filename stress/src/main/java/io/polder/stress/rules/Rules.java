package io.polder.stress.rules;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;

/** Searches for what breaks the rules, one rule after the other, for so long all together. */
public final class Rules {
    private static final String USAGE = "Rules --seconds N [--only NAME] [--seed N]";

    /** What must hold, whatever is drawn. */
    private interface Rule {
        /**
         * Tries it with what is drawn from a source.
         *
         * @throws AssertionError if it is broken
         */
        void run(Random random, Duration howLong) throws Exception;
    }

    private Rules() {}

    /** Exit code 0 if nothing was found, 1 if a rule is broken, 2 if the arguments are wrong. */
    public static void main(String[] args) throws Exception {
        Map<String, Rule> rules = new LinkedHashMap<>();
        rules.put("arenas", new ArenasRule()::run);
        rules.put("blocks", new BlocksRule()::run);
        rules.put("heaps", new HeapsRule()::run);
        long seconds = 0;
        long seed = System.nanoTime();
        boolean known = args.length % 2 == 0;
        for (int i = 0; i + 1 < args.length; i += 2) {
            String value = args[i + 1];
            switch (args[i]) {
                case "--seconds" -> seconds = Long.parseLong(value);
                case "--seed" -> seed = Long.parseLong(value);
                case "--only" -> {
                    known &= rules.containsKey(value);
                    rules.keySet().removeIf(name -> !name.equals(value));
                }
                default -> known = false;
            }
        }
        if (!known || seconds <= 0) {
            System.err.println(USAGE);
            System.exit(2);
        }
        Duration each = Duration.ofMillis(Math.max(1, seconds * 1000 / rules.size()));
        for (Map.Entry<String, Rule> rule : rules.entrySet()) {
            System.out.println(rule.getKey() + ": seed=" + seed + ", " + each.toSeconds() + " s");
            try {
                rule.getValue().run(new Random(seed), each);
            } catch (AssertionError | Exception broken) {
                broken.printStackTrace(System.out);
                System.out.println(
                        "rules: FAILED: again with --only " + rule.getKey() + " --seed " + seed);
                System.exit(1);
            }
        }
        System.out.println("rules: nothing found");
        System.exit(0); // threads that live on belong to what is tried
    }
}
