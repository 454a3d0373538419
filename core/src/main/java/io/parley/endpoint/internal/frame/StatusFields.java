package io.parley.endpoint.internal.frame;

import io.parley.common.internal.WireStatus;

/** The fields of a {@link WireStatus}: 1 number, 2 text, 3 connection. */
final class StatusFields {

    private static final int NUMBER = 1;
    private static final int TEXT = 2;
    private static final int CONNECTION = 3;

    /** In REFUSE only: the number of messages that the receiver has of the channel. */
    static final int RECEIVED = 4;

    private StatusFields() {}

    static TaggedFields of(WireStatus status) {
        TaggedFields fields = new TaggedFields().number(NUMBER, status.number()).text(TEXT, status.text());
        status.connection().ifPresent(value -> fields.number(CONNECTION, value));
        return fields;
    }

    static WireStatus read(TaggedFields fields) {
        return new WireStatus(
                fields.number(NUMBER).orElse(0L).intValue(),
                fields.text(TEXT).orElse(""),
                fields.optionalNumber(CONNECTION));
    }
}
