package io.parley.advertisement;

import io.parley.id.Id;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ser.std.StdScalarSerializer;

/** Serializes ids in user-defined classes in their canonical form. */
final class IdSerializer<T extends Id> extends StdScalarSerializer<T> {
    IdSerializer(Class<T> type) {
        super(type);
    }

    @Override
    public void serialize(T id, JsonGenerator out, SerializationContext context) {
        out.writeString(AdvertisementId.of(id).urn());
    }
}
