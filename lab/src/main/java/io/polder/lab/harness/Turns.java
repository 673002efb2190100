package io.polder.lab.harness;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Rounds in each of which every contender has one turn, in an order drawn anew: whatever the
 * machine does meanwhile meets all of them alike, and no contender always follows the same one.
 *
 * @param contenders who take turns
 * @param rounds how many
 * @param random draws the order
 */
public record Turns<C>(List<C> contenders, int rounds, Random random) {
    /** Copies the list. */
    public Turns {
        contenders = List.copyOf(contenders);
    }

    /**
     * One turn.
     *
     * @param <E> what it may throw besides
     */
    @FunctionalInterface
    public interface Turn<C, E extends Exception> {
        /**
         * Measures a contender.
         *
         * @param round 0 is the first
         * @param done share of all turns that came before
         */
        void take(C contender, int round, double done) throws E, InterruptedException;
    }

    /** Takes all turns. */
    public <E extends Exception> void run(Turn<C, E> turn) throws E, InterruptedException {
        List<C> order = new ArrayList<>(contenders);
        double turns = (double) rounds * order.size();
        for (int round = 0; round < rounds; round++) {
            Collections.shuffle(order, random);
            for (int i = 0; i < order.size(); i++) {
                turn.take(order.get(i), round, (round * order.size() + i) / turns);
            }
        }
    }
}
