package io.polder.lab.harness;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.JsonNode;

/**
 * What a measuring JVM tells its parent: the protocol of all experiments. A message is one line of
 * JSON, an object with one key, which says what it is:
 *
 * <pre>{@code
 * {"progress":{"share":0.5}}
 * {"sample":{"name":"JDK","value":24.5}}
 * {"latencies":{"name":"takes","nanos":"HISTFAAA..."}}
 * {"point":{"values":{"stage":"PEAK","rssBytes":1048576}}}
 * {"text":{"name":"map","text":"..."}}
 * {"end":{}}
 * }</pre>
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, include = JsonTypeInfo.As.WRAPPER_OBJECT)
@JsonSubTypes({
    @JsonSubTypes.Type(value = Message.Progress.class, name = "progress"),
    @JsonSubTypes.Type(value = Message.Sample.class, name = "sample"),
    @JsonSubTypes.Type(value = Message.Latencies.class, name = "latencies"),
    @JsonSubTypes.Type(value = Message.Point.class, name = "point"),
    @JsonSubTypes.Type(value = Message.Text.class, name = "text"),
    @JsonSubTypes.Type(value = Message.End.class, name = "end")
})
sealed interface Message {
    /** How much of its work is done, 0 to 1. */
    record Progress(double share) implements Message {
        /** Checks the share. */
        public Progress {
            requireFinite("progress", share);
        }
    }

    /** One value of a figure; those of several figures with the same number are one round. */
    record Sample(String name, double value) implements Message {
        /** Checks the value. */
        public Sample {
            requireFinite(name, value);
        }
    }

    /** Many values of a figure in nanoseconds: see {@link Nanos#encode}. */
    record Latencies(String name, String nanos) implements Message {}

    /** Figures that belong together: a record of the experiment's. */
    record Point(JsonNode values) implements Message {}

    /** What is no figure. */
    record Text(String name, String text) implements Message {}

    /** Nothing is missing; the last one. */
    record End() implements Message {}

    private static void requireFinite(String name, double value) {
        if (!Double.isFinite(value)) {
            throw new IllegalArgumentException(
                    "a sample must be finite: name=" + name + ", value=" + value);
        }
    }
}
