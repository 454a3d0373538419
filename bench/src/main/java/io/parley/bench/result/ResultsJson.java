package io.parley.bench.result;

import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** {@code results.json}. */
public final class ResultsJson {

    private static final JsonMapper MAPPER =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    private ResultsJson() {}

    /** Writes. */
    public static String write(Results results) {
        return MAPPER.writeValueAsString(results);
    }

    /** Reads what {@link #write} wrote. */
    public static Results read(String json) {
        return MAPPER.readValue(json, Results.class);
    }
}
