package io.polder.lab.report;

import io.polder.tools.terminal.Columns;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleFunction;

/**
 * A figure that was to be reached, and whether it was.
 *
 * @param what the figure is
 * @param target what it was to be, as ">= 6.0x"
 * @param measured what it is, with its unit
 * @param reached whether that is good enough
 */
public record Goal(String what, String target, String measured, boolean reached) {
    /** A figure that is to be as large as its target, or larger. */
    public static Goal atLeast(
            String what, double target, double measured, DoubleFunction<String> words) {
        String least = ">= " + words.apply(target);
        return new Goal(what, least, words.apply(measured), measured >= target);
    }

    /** A figure that is to be as small as its target, or smaller. */
    public static Goal atMost(
            String what, double target, double measured, DoubleFunction<String> words) {
        String most = "<= " + words.apply(target);
        return new Goal(what, most, words.apply(measured), measured <= target);
    }

    /** A figure that is to be zero. */
    public static Goal zero(String what, double measured, DoubleFunction<String> words) {
        return new Goal(what, words.apply(0), words.apply(measured), measured == 0);
    }

    /** Whether it was reached, in one word. */
    public String verdict() {
        return reached ? "reached" : "missed";
    }

    /** A table of some of them. */
    public static String table(List<Goal> goals) {
        return new Columns<Goal>()
                .words("goal", Goal::what)
                .number("", goal -> plain(goal.target))
                .number("measured", goal -> plain(goal.measured))
                .words("", Goal::verdict)
                .table(goals);
    }

    /** The form in which results keep it. */
    Map<String, Object> toJson(boolean busy) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("what", what);
        json.put("target", plain(target));
        json.put("measured", plain(measured));
        json.put("reached", reached);
        json.put("busy", busy);
        return json;
    }

    /** Figures as every terminal can write them, and as metrics write their units. */
    private static String plain(String figure) {
        return figure.replace('×', 'x').replace('µ', 'u').replace('\u00a0', ' ');
    }
}
