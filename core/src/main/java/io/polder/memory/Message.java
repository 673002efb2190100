package io.polder.memory;

/**
 * Makes messages of a rule and of facts.
 *
 * <p>Not by a formatter of the JDK's: its first use takes milliseconds, and must not meet the end
 * of a stack.
 */
public final class Message {
    private Message() {}

    /**
     * A text in which facts stand in place of each {@code %}, one after the other. A {@code long}
     * behind {@code 0x} is written in hexadecimal.
     *
     * @param text without a {@code %} that is to stay
     * @param facts as many as there are places
     */
    public static String of(String text, Object... facts) {
        StringBuilder message = new StringBuilder();
        int from = 0;
        for (Object fact : facts) {
            int at = text.indexOf('%', from);
            boolean isHex = fact instanceof Long && text.startsWith("0x", at - 2);
            message.append(text, from, at).append(isHex ? Long.toHexString((long) fact) : fact);
            from = at + 1;
        }
        return message.append(text, from, text.length()).toString();
    }
}
