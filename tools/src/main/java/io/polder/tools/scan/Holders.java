package io.polder.tools.scan;

import java.math.BigInteger;

/**
 * Where a method holds one value: in which words of its operand stack, and in which local
 * variables.
 *
 * <pre>{@code
 *   stack    ... 0 0 1 0 1     bit 0 is the word on top; below what is shown, and where nothing is
 *                              known, there is always something else
 *   locals   ... 1 0 0 1 0     bit n is local variable n
 * }</pre>
 *
 * <p>A long or double is two words, so the instructions that shuffle the stack need no types.
 *
 * @param stack not negative
 * @param locals not negative
 */
record Holders(BigInteger stack, BigInteger locals) {
    /** The value lies on top of the stack, and nowhere else. */
    static Holders onTop() {
        return new Holders(BigInteger.ONE, BigInteger.ZERO);
    }

    /** Whether nothing holds the value any more. */
    boolean isEmpty() {
        return stack.signum() == 0 && locals.signum() == 0;
    }

    /** Whether the word with so many above it holds the value. */
    boolean atDepth(int words) {
        return stack.testBit(words);
    }

    boolean inLocal(int slot) {
        return locals.testBit(slot);
    }

    Holders pop(int words) {
        return withStack(stack.shiftRight(words));
    }

    /** Pushes words with something else in them. */
    Holders push(int words) {
        return withStack(stack.shiftLeft(words));
    }

    /** Pushes a word with the value in it. */
    Holders pushHeld() {
        return withStack(stack.shiftLeft(1).setBit(0));
    }

    /** Copies words from the top of the stack to below some more words. */
    Holders dup(int words, int moreWords) {
        BigInteger copied = low(stack, words);
        BigInteger above = low(stack, words + moreWords);
        BigInteger below = stack.shiftRight(words + moreWords);
        return withStack(below.shiftLeft(words).or(copied).shiftLeft(words + moreWords).or(above));
    }

    /** Swaps the two words on top of the stack. */
    Holders swap() {
        Holders under = pop(2);
        Holders first = atDepth(0) ? under.pushHeld() : under.push(1);
        return atDepth(1) ? first.pushHeld() : first.push(1);
    }

    /** What is left when an exception is caught: the stack holds nothing but it. */
    Holders caught() {
        return withStack(BigInteger.ZERO);
    }

    /** Pops one word or two, and keeps them in as many local variables. */
    Holders store(int slot, int words) {
        BigInteger after = locals;
        for (int i = 0; i < words; i++) {
            after = atDepth(words - 1 - i) ? after.setBit(slot + i) : after.clearBit(slot + i);
        }
        return new Holders(stack.shiftRight(words), after);
    }

    private Holders withStack(BigInteger other) {
        return new Holders(other, locals);
    }

    private static BigInteger low(BigInteger word, int bits) {
        return word.and(BigInteger.ONE.shiftLeft(bits).subtract(BigInteger.ONE));
    }
}
