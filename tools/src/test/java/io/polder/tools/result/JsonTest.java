package io.polder.tools.result;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import org.junit.jupiter.api.Test;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

class JsonTest {
    @Test
    void write_isReadBackAsItWas() throws Exception {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("text", "quote \" backslash \\ line\nreturn\rtab\tbell\u0007 ä");
        json.put("numbers", List.of(1, 2L, 0.5, 1e-9, -3.0));
        json.put("yes", true);
        json.put("nested", Map.of("empty", Map.of(), "none", List.of()));
        json.put("raw", Json.raw(" [1, {\"a\": null}] "));

        JsonNode read = new ObjectMapper().readTree(Json.write(json));

        assertThat(read.get("text").asText()).isEqualTo(json.get("text"));
        assertThat(read.get("numbers").get(3).asDouble()).isEqualTo(1e-9);
        assertThat(read.get("numbers")).hasSize(5);
        assertThat(read.get("yes").asBoolean()).isTrue();
        assertThat(read.get("nested").get("empty").isObject()).isTrue();
        assertThat(read.get("nested").get("none").isArray()).isTrue();
        assertThat(read.get("raw").get(1).get("a").isNull()).isTrue();
    }

    /** Also names that no encoding has, as half a character, and where it is printed in Latin-1. */
    @Test
    void write_anyText_isAsciiAndReadBack() throws Exception {
        String text = "Größe \u65e5\u672c \ud83d\ude00 \ud800 \udc00";
        String json = Json.write(Map.of(text, List.of(text)));
        assertThat(json).matches("\\p{ASCII}+");
        assertThat(new ObjectMapper().readTree(json).get(text).get(0).asText()).isEqualTo(text);
        assertThat(Json.line(text)).matches("\\p{ASCII}+");
    }

    @Test
    void write_keepsTheOrderOfKeys() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("z", 1);
        json.put("a", List.of(2, "x"));
        json.put("b", List.of());

        assertThat(Json.write(json))
                .isEqualTo(
                        """
                        {
                          "z": 1,
                          "a": [
                            2,
                            "x"
                          ],
                          "b": []
                        }
                        """);
    }

    @Test
    void write_refusesWhatJsonCannotSay() {
        assertThatThrownBy(() -> Json.write(List.of(Double.NaN)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasStackTraceContaining("value=NaN");
        assertThatThrownBy(() -> Json.write(new Object()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("java.lang.Object@");
    }
}
