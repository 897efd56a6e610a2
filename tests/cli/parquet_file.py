"""A reader of Parquet files for the tests, written from the format's specification alone.

Flat, required columns, PLAIN and uncompressed.
"""

import struct

import numpy

TYPES = {1: "<i4", 2: "<i8", 4: "<f4"}
PLAIN, RLE = 0, 3


class Compact:
    """Thrift's compact protocol: structures as dictionaries from field numbers to values."""

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def integer(self):
        value = self.varint()
        return value >> 1 ^ -(value & 1)

    def value(self, kind):
        if kind in (1, 2):
            return kind == 1
        if kind in (4, 5, 6):
            return self.integer()
        if kind == 8:
            length = self.varint()
            self.at += length
            return self.data[self.at - length:self.at]
        if kind == 9:
            head = self.byte()
            length = head >> 4 if head >> 4 < 15 else self.varint()
            return [self.value(head & 15) for _ in range(length)]
        assert kind == 12, kind
        return self.structure()

    def structure(self):
        fields, number = {}, 0
        while True:
            head = self.byte()
            if head == 0:
                return fields
            assert head >> 4 > 0, "a field that does not follow the one before"
            number += head >> 4
            fields[number] = self.value(head & 15)


class ParquetFile:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        assert self.data[:4] == self.data[-4:] == b"PAR1"
        length = struct.unpack("<I", self.data[-8:-4])[0]
        footer = Compact(self.data, len(self.data) - 8 - length)
        self.metadata = footer.structure()
        assert footer.at == len(self.data) - 8
        self.names = [column[4].decode() for column in self.metadata[2][1:]]
        self.keys = {key[1].decode(): key[2].decode() for key in self.metadata.get(5, [])}
        self.groups = self.metadata[4]
        self.rows = self.metadata[3]
        self.at = 4  # where the next page must begin: there are no gaps

    def chunk(self, chunk):
        """The values of a column in a row group, and that its metadata is true."""
        about = chunk[3]
        dtype = numpy.dtype(TYPES[about[1]])
        at, end, parts = about[9], about[9] + about[7], []
        assert at == self.at and about[4] == 0 and about[6] == about[7]
        while at < end:
            header = Compact(self.data, at)
            page = header.structure()
            body = self.data[header.at:header.at + page[3]]
            count, encoding = page[5][1], page[5][2]
            assert page[1] == 0 and page[2] == page[3] and encoding == PLAIN and about[2] == [PLAIN, RLE]
            values = numpy.frombuffer(body, dtype)
            assert len(values) == count
            parts.append(values)
            at = header.at + page[3]
        assert at == end
        self.at = end
        values = numpy.concatenate(parts)
        assert about[5] == len(values)
        least, greatest = (numpy.frombuffer(about[12][key], dtype)[0] for key in (6, 5))
        assert (least, greatest) == (values.min(), values.max())
        return values

    def columns(self):
        parts = {name: [numpy.zeros(0, TYPES[column[1]])]
                 for name, column in zip(self.names, self.metadata[2][1:])}
        for group in self.groups:
            for name, chunk in zip(self.names, group[1]):
                assert chunk[3][3] == [name.encode()]
                parts[name].append(self.chunk(chunk))
            assert group[2] == sum(chunk[3][7] for chunk in group[1])
        assert self.at + struct.unpack("<I", self.data[-8:-4])[0] + 8 == len(self.data)
        return {name: numpy.concatenate(values) for name, values in parts.items()}
