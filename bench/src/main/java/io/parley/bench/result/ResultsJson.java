package io.parley.bench.result;

import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Writes and reads {@code results.json}. */
public final class ResultsJson {

    private static final JsonMapper MAPPER =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    private ResultsJson() {}

    /** Returns {@code results} as JSON. */
    public static String write(Results results) {
        return MAPPER.writeValueAsString(results);
    }

    /** Parses the output of {@link #write}. */
    public static Results read(String json) {
        return MAPPER.readValue(json, Results.class);
    }
}
