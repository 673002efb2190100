package io.polder.micrometer;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What Prometheus gets: a line for each figure. */
record Scrape(Map<String, Double> samples) {
    static PrometheusMeterRegistry registry() {
        return new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    }

    static Scrape of(PrometheusMeterRegistry registry) {
        return new Scrape(
                registry.scrape()
                        .lines()
                        .filter(line -> !line.startsWith("#"))
                        .collect(
                                Collectors.toMap(
                                        line -> line.substring(0, line.lastIndexOf(' ')),
                                        line ->
                                                Double.parseDouble(
                                                        line.substring(
                                                                line.lastIndexOf(' ') + 1)))));
    }

    /** The names of the figures, without tags. */
    List<String> names() {
        return samples.keySet().stream()
                .map(each -> each.replaceFirst("\\{.*", ""))
                .distinct()
                .sorted()
                .toList();
    }

    double value(String figure) {
        Double value = samples.get(figure);
        if (value == null) {
            throw new AssertionError("no " + figure + " in " + samples.keySet());
        }
        return value;
    }
}
