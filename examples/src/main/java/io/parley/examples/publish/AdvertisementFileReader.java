package io.parley.examples.publish;

import io.parley.advertisement.Advertisement;
import io.parley.advertisement.AdvertisementCodec;
import io.parley.advertisement.AdvertisementLimits;
import io.parley.advertisement.OpaqueAdvertisement;
import io.parley.error.ParleyException;
import io.parley.examples.console.CommandFailedException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeSet;

/** Reads advertisements as people write them: XML documents in files. */
final class AdvertisementFileReader {

    private AdvertisementFileReader() {}

    /** Fails with {@link CommandFailedException} when it is none of a known type. */
    static Advertisement read(Path file) throws IOException {
        AdvertisementLimits limits = AdvertisementLimits.DEFAULTS;
        AdvertisementCodec codec = AdvertisementCodec.installed(limits);
        Advertisement advertisement;
        try (InputStream in = Files.newInputStream(file)) {
            // One byte more, so that a file that is too long fails as such.
            advertisement = codec.decode(in.readNBytes(limits.maxDocumentBytes() + 1));
        } catch (ParleyException e) {
            throw new CommandFailedException(
                    file + " is no advertisement: " + e.getMessage() + ". Correct the document.", e);
        }
        if (advertisement instanceof OpaqueAdvertisement) {
            throw new CommandFailedException(file + ": nobody could find a " + advertisement.type()
                    + ". Use a document of a known type: " + String.join(", ", new TreeSet<>(codec.typeNames())) + ".");
        }
        return advertisement;
    }
}
