package io.parley.advertisement;

import java.util.Optional;
import java.util.function.Function;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.deser.std.StdScalarDeserializer;

/** Deserializes ids in user-defined classes from any of their spellings. */
final class IdDeserializer<T> extends StdScalarDeserializer<T> {
    private final transient Function<AdvertisementId, Optional<T>> toId;

    IdDeserializer(Class<T> type, Function<AdvertisementId, Optional<T>> toId) {
        super(type);
        this.toId = toId;
    }

    @Override
    public T deserialize(JsonParser parser, DeserializationContext context) {
        AdvertisementId id = new AdvertisementId(parser.getValueAsString(""));
        return toId.apply(id)
                .orElseThrow(() -> new IllegalArgumentException(
                        id + " (expected: a " + handledType().getSimpleName() + ")"));
    }
}
