"""A part of a figure, in pixels from the figure's left upper corner.

    inner = Rectangle(figure, 0, 0, 400, 200).inside(8, 26, 8, 8)
    axes = inner.axes()       # for a graph
    canvas = inner.canvas()   # for text, in pixels
"""

import dataclasses

from matplotlib import patches


@dataclasses.dataclass(frozen=True)
class Rectangle:
    figure: object
    x: float
    y: float
    width: float
    height: float

    def inside(self, left, top, right, bottom):
        return Rectangle(self.figure, self.x + left, self.y + top,
                         self.width - left - right, self.height - top - bottom)

    def axes(self):
        width, height = self.figure.get_size_inches() * self.figure.dpi
        return self.figure.add_axes(
            (self.x / width, 1 - (self.y + self.height) / height,
             self.width / width, self.height / height))

    def canvas(self, face="none", edge="none"):
        """Returns axes without a scale whose units are pixels, downwards."""
        axes = self.axes()
        axes.set_xlim(0, self.width)
        axes.set_ylim(self.height, 0)
        axes.axis("off")
        axes.add_patch(patches.Rectangle((0, 0), self.width, self.height,
                                         facecolor=face, edgecolor=edge))
        return axes
