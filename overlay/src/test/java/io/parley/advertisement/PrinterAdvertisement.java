package io.parley.advertisement;

import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** An example of a user-defined advertisement. */
public record PrinterAdvertisement(
        PipeId pipe,
        PeerId owner,
        GroupId home,
        AdvertisementId driver,
        String place,
        boolean color,
        int pagesPerMinute,
        List<Tray> trays,
        @Nullable String space)
        implements Advertisement {
    public record Tray(String paper, int sheets) {}

    static final String TYPE = "Printer";

    /** Rejects missing required fields. */
    public PrinterAdvertisement {
        if (pipe == null || place == null) {
            throw new IllegalArgumentException("pipe, place: missing (expected: in every Printer)");
        }
        trays = trays == null ? List.of() : List.copyOf(trays);
    }

    @Override
    public String type() {
        return TYPE;
    }

    @Override
    public String key() {
        return pipe.text();
    }

    @Override
    public Optional<AdvertisementId> publisher() {
        return Optional.of(AdvertisementId.of(owner));
    }

    @Override
    public List<AdvertisementAttribute> attributes() {
        return List.of(
                new AdvertisementAttribute("place", place),
                new AdvertisementAttribute("color", Boolean.toString(color)));
    }
}
