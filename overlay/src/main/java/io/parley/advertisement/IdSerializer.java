package io.parley.advertisement;

import io.parley.id.Id;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ser.std.StdScalarSerializer;

/** Ids in classes of users, written as in all documents. */
final class IdSerializer<T extends Id> extends StdScalarSerializer<T> {
    IdSerializer(Class<T> type) {
        super(type);
    }

    @Override
    public void serialize(T id, JsonGenerator out, SerializationContext context) {
        out.writeString(AdvertisementId.of(id).urn());
    }
}
